/** What a state means to whoever looks: good, under way, bad, or nothing to heed. */
export type BadgeVariant = 'good' | 'busy' | 'bad' | 'neutral';

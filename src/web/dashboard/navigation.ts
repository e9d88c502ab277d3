import type { IconName } from '../components/icon';
import type { Viewer } from '../http/viewer';

interface NavigationEntry {
  href: string;
  label: string;
  icon: IconName;
  /** Where further screens of this entry are. */
  also?: string;
}

export interface NavigationGroup {
  /** '' for the group that needs no title. */
  title: string;
  entries: NavigationEntry[];
}

/** The side bar. A new screen adds its line here. */
const OWN: NavigationEntry[] = [
  { href: '/dashboard', label: 'Overview', icon: 'home' },
  { href: '/dashboard/quizzes', label: 'My quizzes', icon: 'quiz', also: '/dashboard/imports' },
  { href: '/dashboard/keys', label: 'API keys', icon: 'key' },
  { href: '/dashboard/webhooks', label: 'Webhooks', icon: 'webhook' },
  { href: '/dashboard/account', label: 'Account', icon: 'person' },
];

const ADMINISTRATION: NavigationEntry[] = [
  { href: '/dashboard/admin/review', label: 'Review', icon: 'review' },
  { href: '/dashboard/admin/topics', label: 'Topics', icon: 'topics' },
  { href: '/dashboard/admin/accounts', label: 'Accounts', icon: 'people' },
  { href: '/dashboard/admin/audit', label: 'Audit log', icon: 'list' },
];

export function navigationFor(viewer: Pick<Viewer, 'isAdmin'>): NavigationGroup[] {
  const groups = [{ title: '', entries: OWN }];
  return viewer.isAdmin
    ? [...groups, { title: 'Administration', entries: ADMINISTRATION }]
    : groups;
}

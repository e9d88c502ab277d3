const TABS = [
  { href: '/dashboard/webhooks', label: 'Endpoints' },
  { href: '/dashboard/webhooks/deliveries', label: 'Deliveries' },
];

/** The two lists of the webhook screens. */
export function WebhookTabs({ at }: { at: 'Endpoints' | 'Deliveries' }) {
  return (
    <nav class="tabs" aria-label="Webhooks">
      {TABS.map(({ href, label }) => (
        <a key={href} href={href} aria-current={label === at ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}

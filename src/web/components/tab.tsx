/** One of several ways to see a list, with how many there are. Stands in a `nav.tabs`. */
export function Tab(tab: { href: string; label: string; number: number; current: boolean }) {
  return (
    <a href={tab.href} aria-current={tab.current ? 'page' : undefined}>
      {tab.label} <span class="count">{tab.number.toLocaleString('en')}</span>
    </a>
  );
}

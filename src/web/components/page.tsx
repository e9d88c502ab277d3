import type { ComponentChildren } from 'preact';
import { navigationFor } from '../dashboard/navigation';
import { usePage } from '../http/page-context';
import { Brand, Document } from './document';
import { Icon } from './icon';

/** The line at the top of a page: what it is, one line of help, and at most one primary button. */
interface Head {
  title: string;
  help?: ComponentChildren;
  action?: ComponentChildren;
  /** Where a page within a page leads back to. */
  back?: { href: string; label: string };
  /** Further elements of the document's head. */
  head?: ComponentChildren;
}

/** A page of the dashboard, for who is signed in. */
export function Page({
  title,
  help,
  action,
  back,
  head,
  children,
}: Head & { children: ComponentChildren }) {
  const { notice } = usePage();
  return (
    <Document title={title} class="app" head={head}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <SideBar />
      <main id="main" tabIndex={-1}>
        {notice && (
          <p class="notice" role="status">
            <Icon name="check" />
            <span>{notice}</span>
          </p>
        )}
        {back && (
          <a class="back" href={back.href}>
            <Icon name="back" /> {back.label}
          </a>
        )}
        <header class="head">
          <div>
            <h1>{title}</h1>
            {help && <p>{help}</p>}
          </div>
          {action && <div class="head-action">{action}</div>}
        </header>
        {children}
      </main>
    </Document>
  );
}

function SideBar() {
  const { viewer, path } = usePage();
  if (!viewer) return null;
  const here = path.split('?', 1)[0] ?? '';
  return (
    <header class="side">
      <Brand href="/dashboard" />
      {/* Without a script the small screen's menu opens by itself. */}
      <input type="checkbox" id="menu" class="menu-switch" aria-label="Show the menu" />
      <label class="menu-button" for="menu">
        <Icon name="menu" />
      </label>
      <div class="side-body">
        <nav aria-label="Dashboard">
          {navigationFor(viewer).map((group) => (
            <section key={group.title}>
              {group.title && <h2>{group.title}</h2>}
              <ul>
                {group.entries.map((entry) => (
                  <li key={entry.href}>
                    <a
                      href={entry.href}
                      aria-current={
                        [entry.href, entry.also].some((at) => at && isAt(at, here))
                          ? 'page'
                          : undefined
                      }
                    >
                      <Icon name={entry.icon} />
                      {entry.label}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <div class="who">
          <span class="who-email" title={viewer.email}>
            {viewer.email}
          </span>
          <form method="post" action="/dashboard/sign-out">
            <button class="btn" data-variant="ghost" data-size="sm">
              Sign out
            </button>
          </form>
        </div>
      </div>
    </header>
  );
}

/** The overview is at the root of all others: only its own address lights it. */
const isAt = (href: string, here: string) =>
  here === href || (href !== '/dashboard' && here.startsWith(`${href}/`));

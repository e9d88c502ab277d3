import type { ComponentChildren } from 'preact';
import { Brand, Document } from './document';

/** A page without the side bar: signing in, and errors. */
export function Plain({
  title,
  help,
  children,
}: {
  title: string;
  help?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <Document title={title} class="plain">
      <header>
        <Brand href="/" />
      </header>
      <main>
        <div class="plain-card">
          <h1>{title}</h1>
          {help && <p class="muted">{help}</p>}
          {children}
        </div>
      </main>
    </Document>
  );
}

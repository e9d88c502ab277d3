import type { ComponentChildren } from 'preact';
import { assetPath } from '../http/assets';

/** The HTML around every page. */
export function Document(of: {
  title: string;
  class?: string;
  /** Further elements of the head: an asset that only these pages use. */
  head?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { title, class: className, head, children } = of;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content='{"includeIndicatorCSS":false}' />
        <title>{title} · Quiz Question Service</title>
        <link rel="icon" href={assetPath('icon')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath('basecoat')} />
        <link rel="stylesheet" href={assetPath('styles')} />
        <script defer src={assetPath('htmx')}></script>
        <script defer src={assetPath('script')}></script>
        {head}
      </head>
      <body class={className}>{children}</body>
    </html>
  );
}

export function Brand({ href }: { href: string }) {
  return (
    <a class="brand" href={href}>
      <img src={assetPath('icon')} alt="" width="24" height="24" />
      <span>Quiz Question Service</span>
    </a>
  );
}

/** A page without the side bar: signing in, and errors. */
export function Plain(of: {
  title: string;
  help?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { title, help, children } = of;
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

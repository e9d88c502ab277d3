import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { Marked } from 'marked';
import { CopyButton } from '../components/button';

const LANGUAGES = { bash, go, http, javascript, json, php, python, typescript };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** Code as escaped HTML with classes for its tokens; the browser needs no script for it. */
function highlight(code: string, language: string): string {
  return hljs.getLanguage(language)
    ? hljs.highlight(code, { language, ignoreIllegals: true }).value
    : code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const marked = new Marked();

/** A sentence or two of Markdown, from the descriptions in the code. */
export function Text({ of }: { of: string }) {
  return (
    <span
      class="text"
      dangerouslySetInnerHTML={{ __html: marked.parseInline(of, { async: false }) }}
    />
  );
}

/** Highlighted code with a copy button. */
export function Code({ code, language, label }: { code: string; language: string; label: string }) {
  return (
    <div class="code">
      <div class="code-head">
        <span>{label}</span>
        <CopyButton text={code} variant="ghost" />
      </div>
      <pre role="group" aria-label={label} tabIndex={0}>
        {/* Our own code samples, escaped by the highlighter. */}
        <code dangerouslySetInnerHTML={{ __html: highlight(code, language) }} />
      </pre>
    </div>
  );
}

export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <Code code={JSON.stringify(value, null, 2)} language="json" label={label} />
);

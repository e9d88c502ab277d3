import { CopyText } from '../../components/copy';

const NODE = `const { createHmac, timingSafeEqual } = require('node:crypto');

/** body: a Buffer with the raw body; header: the value of X-Service-Signature, or undefined */
function isAuthentic(body, header, secret) {
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const expected = Buffer.from('sha256=' + digest);
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}`;

const PYTHON = `import hashlib
import hmac


def is_authentic(body: bytes, header: str | None, secret: str) -> bool:
    """body: the raw body; header: the value of X-Service-Signature"""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    expected = "sha256=" + digest
    return hmac.compare_digest(expected.encode(), (header or "").encode())`;

/** How a receiver knows that a request is ours: as in docs/webhooks.md. */
export function Verification() {
  return (
    <section class="panel">
      <h2>Verify what arrives</h2>
      <p>
        Over the raw body, before you parse it. Then answer with any 2xx status within 30 seconds.
      </p>
      <CopyText text={NODE} label="Verification in Node.js" />
      <details class="more">
        <summary>In Python</summary>
        <CopyText text={PYTHON} label="Verification in Python" />
      </details>
    </section>
  );
}

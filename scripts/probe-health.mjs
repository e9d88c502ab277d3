// A container's health check: exits 0 when the process in this container is healthy, else 1 with the reason.
// node scripts/probe-health.mjs live|ready|worker: is the API alive, is it ready, is the worker (on METRICS_PORT) ready?
const { METRICS_PORT, PORT } = process.env;
const [, , what = 'ready'] = process.argv;
const port = what === 'worker' ? METRICS_PORT?.split(':').pop() : PORT || 3000;
const path = what === 'live' ? '/health/live' : '/health/ready';
try {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    signal: AbortSignal.timeout(4_000),
  });
  const text = await response.text();
  console.log(text);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`no response on port ${port}: ${error.message}`);
  process.exitCode = 1;
}

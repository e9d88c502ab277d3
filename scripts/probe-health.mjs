// The HEALTHCHECK of the image: exits 0 when the process in this container is ready, else 1 with the reason.
// With `worker` it asks the worker, which answers on METRICS_PORT only.
const { METRICS_PORT, PORT } = process.env;
const port = process.argv[2] === 'worker' ? METRICS_PORT : PORT || 3000;
try {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, {
    signal: AbortSignal.timeout(4_000),
  });
  const text = await answer.text();
  console.log(text);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.log(`nobody answers on port ${port}: ${error.message}`);
  process.exitCode = 1;
}

// Keeps a processor busy until it is stopped.
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
process.send('started');
function turn() {
  const ends = performance.now() + 20;
  while (performance.now() < ends);
  setImmediate(turn);
}
turn();

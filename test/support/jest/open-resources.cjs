const { setTimeout: sleep } = require('node:timers/promises');

/**
 * How long, in milliseconds, a resource may take to close: a socket that is ending, a process that exits. ioredis keeps
 * the timer of a closed connection for its `socketTimeout`, 8 s.
 */
const PATIENCE = 12_000;

/** Reads and writes of files end by themselves. */
const TRANSIENT = /^(FSReq|Immediate|CloseReq|GetAddrInfo)/;

/**
 * Kinds of the sockets, servers, timers and child processes that were opened since `before` (an earlier
 * `process.getActiveResourcesInfo()`) and keep the process from ending, each with what is known about it.
 */
async function openSince(before) {
  const until = Date.now() + PATIENCE;
  for (;;) {
    const open = difference(process.getActiveResourcesInfo(), before);
    if (open.length === 0) return [];
    if (Date.now() > until) return [...open, ...process._getActiveHandles().map(describeHandle)];
    await sleep(20);
  }
}

function difference(now, before) {
  const known = [...before];
  return now.filter((kind) => {
    const index = known.indexOf(kind);
    if (index >= 0) known.splice(index, 1);
    return index < 0 && !TRANSIENT.test(kind);
  });
}

function describeHandle(handle) {
  const { constructor, localPort, remotePort, spawnargs } = handle;
  return [
    `handle ${constructor.name}`,
    localPort && `on port ${localPort}`,
    remotePort && `to port ${remotePort}`,
    spawnargs?.join(' '),
  ]
    .filter(Boolean)
    .join(' ');
}

module.exports = { openSince };

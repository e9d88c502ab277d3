/**
 * The result of the work, unless it takes longer: then it is abandoned. It continues, and its result is ignored.
 * @throws Error if it takes longer than this many milliseconds
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error(`no response within ${milliseconds} ms`));
    // If this process itself was blocked, the response may wait unread in the socket: read it first.
    timer = setTimeout(() => setImmediate(expire), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

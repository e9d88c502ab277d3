/**
 * What the work comes to, unless it takes longer: then it is abandoned. It goes on, and nobody hears of its end.
 * @throws Error when it takes longer than so many milliseconds
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error(`no response within ${milliseconds} ms`));
    timer = setTimeout(expire, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

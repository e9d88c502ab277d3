/** The file cannot be read beyond this line. `message` is one plain sentence with the way to fix it. */
export class FileError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'FileError';
  }
}

/** The file cannot be read beyond this line. `message` is one plain sentence with the way to mend it. */
export class FileFault extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
    this.name = 'FileFault';
  }
}

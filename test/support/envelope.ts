/** The error envelope of the specification, part 7, and nothing besides. */
export function expectEnvelope(body: unknown): void {
  const { details, ...rest } = body as { details?: unknown };
  expect(rest).toEqual({ success: false, error: expect.stringMatching(/^\S.*\S$/s) });
  if (details === undefined) return;
  expect(Array.isArray(details)).toBe(true);
  for (const error of details as object[])
    expect(error).toEqual({
      path: expect.any(String),
      message: expect.stringMatching(/\S/),
      code: expect.stringMatching(/^[a-z_]+$/),
    });
}

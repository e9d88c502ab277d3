import type { TextareaHTMLAttributes } from 'preact';

interface TextareaProps extends Omit<TextareaHTMLAttributes, 'value'> {
  value: string;
}

/** A `<textarea>` that shows and sends its text as it is: HTML leaves out a line break at its beginning. */
export const Textarea = ({ value, ...attributes }: TextareaProps) => (
  <textarea {...attributes}>{/^[\r\n]/.test(value) ? `\n${value}` : value}</textarea>
);

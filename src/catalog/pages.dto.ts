import { Whole } from '../platform/openapi/fields';

/** `meta` of a list. */
export class PageMeta {
  /** Results on all pages together. @example 48 */
  @Whole() total!: number;
  /** As requested. @example 10 */
  @Whole() limit!: number;
  /** As requested. @example 0 */
  @Whole() offset!: number;
}

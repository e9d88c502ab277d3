import { ChoiceField } from '../catalog/query-fields';
import { WRITABLE_FORMATS, type WritableFormat } from './formats/formats';

/** Query of GET /quizzes/{id}/export. */
export class ExportQuery {
  @ChoiceField(WRITABLE_FORMATS)
  format: WritableFormat = 'json';
}

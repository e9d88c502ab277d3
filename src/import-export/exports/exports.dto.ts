import { ChoiceField } from '../../platform/http/request/query-fields';
import { WRITABLE_FORMATS, type WritableFormat } from '../formats/formats';

/** Query of GET /quizzes/{id}/export. */
export class ExportQuery {
  /** The format of the file. CSV holds questions of at most 482 answers: more are a 400. */
  @ChoiceField(WRITABLE_FORMATS)
  format: WritableFormat = 'json';
}

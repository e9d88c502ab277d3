import { ChoiceField } from '../../platform/http/request/query-fields';
import { EXPORT_NAMES, type ExportName } from '../formats/formats';

/** Query of GET /quizzes/{id}/export. */
export class ExportQuery {
  /** The format of the file. */
  @ChoiceField(EXPORT_NAMES)
  format: ExportName = 'json';
}

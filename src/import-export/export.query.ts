import { ChoiceField } from '../catalog/query-fields';
import { WRITABLE_FORMATS, type WritableFormat } from './formats/formats';

/** Query of GET /quizzes/{id}/export. */
export class ExportQuery {
  @ChoiceField(WRITABLE_FORMATS, {
    description:
      'The format of the file. CSV holds questions of at most 488 answers: more are a 400.',
  })
  format: WritableFormat = 'json';
}

// Its only message is what `quizctl counters verify` finds.
import { CountersService } from '../../dist/catalog/discovery/counters.service.js';
import { openServices } from '../support/services.mjs';

const services = await openServices(process.env.DATABASE_URL);
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send(await services.of(CountersService).verify());

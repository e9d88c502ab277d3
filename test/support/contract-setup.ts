import { takeContractViolations } from './api-contract';

// An answer that the OpenAPI document does not describe fails the test that got it.
afterEach(() => expect(takeContractViolations()).toEqual([]));

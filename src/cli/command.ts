import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { Invalid } from '../platform/errors/domain-errors';
import type { Output } from './output';
import type { Services } from './services';

/** Calls services. They are loaded only now: help and usage errors do without them. */
export async function withServices<T>(
  output: Output,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const { withServices: open } = await import('./services.ts');
  return open(output, work);
}

type MakeCommand = (output: Output) => Command;

/**
 * A command that calls a service.
 * @typeParam Given its arguments and options, by name. The compiler does not compare them with `parameters`: only a test
 *   that runs the command does.
 */
interface Definition<Given> {
  name: string;
  description: string;
  parameters?: (Argument | Option)[];
  /** Printed after the help. */
  help?: string;
  /** Errors in parameters that are valid by themselves. */
  check?(given: Given): string | null;
  /** @param given the arguments and the options, by name */
  run(services: Services, given: Given, output: Output): Promise<void>;
}

export function command<Given = object>(definition: Definition<Given>): MakeCommand {
  const { name, description, parameters = [], help = '' } = definition;
  return (output) => {
    const made = new Command(name).description(description).addHelpText('after', help);
    for (const it of parameters)
      if (it instanceof Option) made.addOption(it);
      else made.addArgument(it);
    return made.action(() => {
      const given: Record<string, unknown> = { ...made.opts() };
      made.registeredArguments.forEach((it, place) => {
        given[it.name()] = made.processedArgs[place];
      });
      const error = definition.check?.(given as Given);
      if (error) made.error(`error: ${error}`);
      return output.attempt(() =>
        withServices(output, (services) => definition.run(services, given as Given, output)),
      );
    });
  };
}

/** Commands that begin with the same word. */
export function group(name: string, description: string, commands: MakeCommand[]): MakeCommand {
  return (output) => {
    const made = new Command(name).description(description);
    for (const make of commands) made.addCommand(make(output));
    return made;
  };
}

/** @param usage `<account>`; in brackets, `[id]`, it is optional */
export function argument(usage: string, description: string, choices?: readonly string[]) {
  const made = new Argument(usage, description);
  return choices ? made.choices(choices) : made;
}

/** @param usage `--plan <plan>` */
export function option(usage: string, description: string, choices?: readonly string[]): Option {
  const made = new Option(usage, description);
  return choices ? made.choices(choices) : made;
}

export function required(usage: string, description: string, choices?: readonly string[]): Option {
  return option(usage, description, choices).makeOptionMandatory();
}

/** Parses an option's integer. */
export function integer(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`It must be an integer from ${from} to ${to}.`);
  };
}

/** Parses an option's list by a rule of the service: what that refuses is invalid usage. */
export function listOf<T>(read: (values: string[]) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text.split(','));
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      throw new InvalidArgumentError(`${error.details?.[0]?.message ?? error.message}.`);
    }
  };
}

/** The owner whose objects a command means: the account with this e-mail address or id; without one, all accounts. */
export async function ownerOf(services: Services, account: string | undefined) {
  return account === undefined ? 'operator' : { accountId: await accountIdOf(services, account) };
}

export async function accountIdOf(services: Services, account: string): Promise<string> {
  return (await services.accounts.get(account)).id;
}

/** Only these fields, for programs: an entity may have fields that must not be shown. */
export function pick<T, Field extends keyof T>(it: T, ...fields: Field[]): Pick<T, Field> {
  return Object.fromEntries(fields.map((field) => [field, it[field]])) as Pick<T, Field>;
}

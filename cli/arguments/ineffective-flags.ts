import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { fail } from '../errors.ts';

interface Ineffective {
  /** Long names of the flags, such as `--cluster`. */
  readonly flags: readonly string[];
  /** Completes the sentence `--cluster has no effect`, for example `with --from`. */
  readonly when: string;
  readonly why: string;
  readonly fix: string;
}

/**
 * Refuses flags of a call that would be ignored. Values of settings pass, because a project's
 * `.mortise.yaml` may name a cluster for all commands.
 *
 * @throws CliError - `bad-value`
 */
export function refuseIneffective(command: CommandUnknownOpts, { flags, when, why, fix }: Ineffective): void {
  const given = command.options.find(
    (option) => flags.includes(option.long ?? '') && command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (given === undefined) return;
  const what = `${given.long} has no effect ${when}`;
  throw fail({ code: 'bad-value', what, where: command.name(), why, fix });
}

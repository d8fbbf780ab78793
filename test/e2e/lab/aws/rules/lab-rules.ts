import { laggingReads, partitionLimits } from './dynamodb.ts';
import { partialFleets, slowFleets } from './ec2-fleets.ts';
import { rebootStates } from './ec2-reboots.ts';
import { dryRuns, requestLimits, templateCodes } from './ec2-requests.ts';
import { emptyPages, hiddenInstances } from './ec2-visibility.ts';
import { authenticationModes, knownPrincipals } from './eks.ts';
import { knownProfiles, propagation, rolesInProfiles } from './iam.ts';
import { accountConcurrency, environmentSize, functionUrls, queueConcurrency } from './lambda.ts';
import { takenNames } from './names.ts';
import { type RightsParts, rights } from './rights.ts';
import type { Pass, Rule } from './rule.ts';

export interface LabRuleParts {
  readonly seed: number;
  /** The quota of the account for concurrent invocations. */
  readonly concurrency: () => number;
  /** The authentication mode of the cluster. */
  readonly authenticationMode: () => string;
  readonly rights: RightsParts;
  /** See {@link queueConcurrency}. */
  readonly queueConcurrency: number;
  /** The emulator of all services but EC2, which rules ask about the account. */
  readonly emulator: Pass;
}

/** The rules of the lab. README.md lists what the emulators enforce by themselves. */
export const listLabRules = ({
  seed,
  concurrency,
  authenticationMode,
  queueConcurrency: maxConcurrency,
  rights: rightsParts,
  emulator,
}: LabRuleParts): readonly Rule[] => [
  rights(rightsParts),
  partitionLimits(),
  laggingReads(seed, emulator),
  environmentSize,
  accountConcurrency(concurrency, emulator),
  functionUrls,
  queueConcurrency(maxConcurrency),
  takenNames(emulator),
  rolesInProfiles(emulator),
  authenticationModes(authenticationMode),
  knownPrincipals(emulator),
  requestLimits(),
  slowFleets(seed),
  partialFleets(seed),
  knownProfiles(emulator),
  propagation(emulator),
  hiddenInstances(seed),
  emptyPages(seed),
  rebootStates,
  templateCodes,
  dryRuns,
];

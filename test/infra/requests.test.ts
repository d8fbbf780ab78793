import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../support/iam/evaluate.ts';
import { findReach, type Reach } from '../support/iam/reach/reach.ts';
import { readRecordings } from '../support/iam/recording/recordings.ts';
import {
  deployOptionSet,
  keyIn,
  OPTION_SETS,
  type SynthesizedStack,
  VIRGINIA,
} from '../support/iam/stacks/option-sets.ts';
import { listPlatformChecks } from '../support/iam/stacks/platform-requests.ts';
import {
  type ControllerLocation,
  controllerProcess,
  type Process,
  stackProcesses,
} from '../support/iam/stacks/processes.ts';
import { describeDenial, type Examination, examine, findUnneeded } from '../support/iam/stacks/questions.ts';
import { listStatements } from '../support/iam/stacks/roles.ts';

/**
 * Evaluates every request that the tests have recorded (test/support/iam/recording) against the policies
 * of the processes that can send it. Vitest runs this file after all others.
 */
const tested = readRecordings();
const reaches = new Map<string, Promise<Reach>>();
const CONTROLLERS: Readonly<Record<string, ControllerLocation>> = {
  'without variables': { variables: {} },
  'with all variables that change its rights': {
    variables: {
      EVENT_KINDS: 'all',
      EVENT_BUS: 'default',
      INTERRUPTION_QUEUE: 'notices',
      ENABLE_ZONAL_SHIFT: 'true',
      VOLUME_KEYS: keyIn(VIRGINIA),
      IMAGE_PARAMETERS: '/mine/ami',
    },
  },
  'beside the stack': { variables: {}, isBesideStack: true },
};

async function examineProcess(process: Process): Promise<Examination> {
  const reach = reaches.get(process.entry) ?? findReach(process.entry);
  reaches.set(process.entry, reach);
  return examine(process, await reach, tested);
}

const listDenied = (process: Process, { questions }: Examination): readonly string[] =>
  questions.filter(({ answer }) => !answer.isAllowed).map((question) => describeDenial(question, process));

const listUntested = ({ name }: Process, { untested }: Examination): readonly string[] =>
  untested.map((request) => `${name} ${request}`);

/** Bundling and reading all functions takes half a minute on a busy machine, or more. */
const REACH_TIMEOUT_MS = 600_000;

describe('the requests that our code sends', () => {
  it('are recorded: nothing is evaluated without them', () => {
    expect(tested.length, 'npm test records the requests').toBeGreaterThan(100);
  });

  describe.each(Object.keys(OPTION_SETS))('with the options of %s', (set) => {
    let stack: SynthesizedStack;
    let examined: readonly (readonly [Process, Examination])[];
    beforeAll(async () => {
      stack = deployOptionSet(set);
      const processes = stackProcesses(stack);
      examined = await Promise.all(processes.map(async (process) => [process, await examineProcess(process)] as const));
    }, REACH_TIMEOUT_MS);

    it('are allowed to each function that sends them', () => {
      expect(examined.flatMap(([process, results]) => listDenied(process, results))).toEqual([]);
    });

    it('are sent in a test, all of them', () => {
      expect(examined.flatMap(([process, results]) => listUntested(process, results))).toEqual([]);
    });

    it('are allowed to Lambda and to the schedules, which use the roles as well', () => {
      const statements = listStatements(stack.resources);
      const denied = listPlatformChecks(stack).filter(
        ({ role, check }) => !evaluate(statements.get(role) ?? [], check).isAllowed,
      );
      expect(denied.map(({ role, check }) => `${role}: ${check.action} on ${check.resource}`)).toEqual([]);
    });

    it('need each statement: without any one of them, a request is denied', () => {
      const checks = [
        ...listPlatformChecks(stack),
        ...examined.flatMap(([{ role }, { questions }]) => questions.map(({ check }) => ({ role, check }))),
      ];
      const unneeded = [...listStatements(stack.resources)].flatMap(([role, statements]) =>
        findUnneeded(
          statements,
          checks.filter((one) => one.role === role).map(({ check }) => check),
        ),
      );
      const names = unneeded
        .filter(({ effect }) => effect === 'Allow')
        .map(({ name, actions }) => `${name}: ${actions.join(', ')}`);
      expect(names).toEqual([]);
    });

    it('are the only ones: network interfaces are denied to the code of functions', () => {
      const denials = examined.flatMap(([{ statements, context }]) =>
        statements
          .filter(({ effect }) => effect === 'Deny')
          .flatMap((statement) =>
            statement.actions.map(
              (action) => evaluate(statements, { action, resource: '*', context }).by === statement,
            ),
          ),
      );
      expect(denials.every(Boolean)).toBe(true);
    });
  });

  it.each(Object.entries(CONTROLLERS))(
    'are allowed to the controller %s by the policies that it prints, and are sent in a test',
    async (_, where) => {
      const process = await controllerProcess(VIRGINIA, where);
      const results = await examineProcess(process);
      expect(listDenied(process, results)).toEqual([]);
      expect(listUntested(process, results)).toEqual([]);
    },
  );
});

import { type Answer, type Check, evaluate, explainDenial, listAllowing } from '../evaluate.ts';
import type { Statement } from '../policy.ts';
import type { Reach } from '../reach/reach.ts';
import type { TestedRequest } from '../recording/recordings.ts';
import { toChecks } from '../requests/to-checks.ts';
import { accountFacts } from './account-facts.ts';
import { placeRequest } from './placed-requests.ts';
import type { Process } from './processes.ts';
import { findSent } from './senders.ts';

/** A question to IAM that a process raises, with the request behind it. */
export interface Question {
  readonly process: string;
  readonly request: TestedRequest;
  readonly check: Check;
  readonly answer: Answer;
}

export interface Examination {
  /** Different requests, by service. */
  readonly requests: readonly TestedRequest[];
  readonly questions: readonly Question[];
  readonly untested: readonly string[];
}

/** Asks IAM about every request that a process can send. */
export function examine(process: Process, reach: Reach, tested: readonly TestedRequest[]): Examination {
  const { requests, untested } = findSent(reach, tested, process);
  const placed = distinct(requests.map((request) => placeRequest(request, process)));
  const account = accountFacts(process.location, {
    requests: distinct(tested.filter(isCreation).map((request) => placeRequest(request, process))),
    nodeRoles: process.nodeRoles,
    ...(process.key !== undefined && { key: process.key }),
    ...(process.environment.LEARNED_TABLE !== undefined && {
      others: new Map([[process.environment.LEARNED_TABLE, process.learnedTableKey]]),
    }),
    ...(process.volumeKey !== undefined && { volumeKey: process.volumeKey }),
  });
  const questions = new Map<string, Question>();
  for (const request of placed) {
    for (const raised of toChecks(request, account)) {
      const key = JSON.stringify(raised);
      if (questions.has(key)) continue;
      const check = { ...raised, context: { ...raised.context, ...process.context } };
      const answer = evaluate(process.statements, check);
      questions.set(key, { process: process.name, request, check, answer });
    }
  }
  return { requests: placed, questions: [...questions.values()], untested };
}

const CREATIONS = new Set(['CreateFleet', 'CreateLaunchTemplate', 'CreateInstanceProfile']);
const isCreation = ({ operation }: TestedRequest): boolean => CREATIONS.has(operation);

function distinct(requests: readonly TestedRequest[]): readonly TestedRequest[] {
  const byContent = new Map<string, TestedRequest>();
  for (const request of requests) {
    const { service, operation, input } = request;
    const key = JSON.stringify([service, operation, input]);
    if (!byContent.has(key)) byContent.set(key, request);
  }
  return [...byContent.values()];
}

/**
 * Lists the statements that could be removed without a denial of a request that was allowed.
 *
 * @param checks - all questions that are raised with the role
 */
export function findUnneeded(statements: readonly Statement[], checks: readonly Check[]): readonly Statement[] {
  const needed = new Set<Statement>();
  for (const check of checks) {
    const allowing = listAllowing(statements, check);
    if (allowing.length === 1) for (const statement of allowing) needed.add(statement);
  }
  return statements.filter((statement) => !needed.has(statement));
}

/** One line for a developer: the process, what it is denied, why, and which test sends it. */
export function describeDenial({ process, request, check }: Question, { statements }: Process): string {
  const [test = ''] = request.tests;
  const why = explainDenial(statements, check);
  return `${process}: ${check.action} on ${check.resource}: ${why} (${request.operation}, sent in ${test})`;
}

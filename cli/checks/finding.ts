import type { Check, CheckGroup } from '../documents/doctor.ts';
import { CliError } from '../errors.ts';

/** A value, or the reason why it could not be read. */
export type Fact<T> = { readonly value: T } | { readonly unread: string };

/** Only errors that the user can resolve become a fact; others are defects. */
export async function toFact<T>(ask: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const [problem] = error.problems;
    return { unread: [problem?.where, problem?.what, problem?.why].filter(Boolean).join(': ') };
  }
}

/** The judgement of one fact. What is not `ok` names its fix. */
export type Finding = Pick<Check, 'status' | 'evidence'> & { readonly fix?: string };

export function check<T>(
  group: CheckGroup,
  name: string,
  fact: Fact<T>,
  judge: (value: T) => readonly Finding[],
): readonly Check[] {
  const about = { id: `${group}/${name}`, group };
  if ('unread' in fact) return [{ ...about, status: 'unknown', evidence: fact.unread }];
  return judge(fact.value).map((finding) => ({ ...about, ...finding }));
}

export const ok = (evidence: string): Finding => ({ status: 'ok', evidence });
export const warn = (evidence: string, fix: string): Finding => ({ status: 'warn', evidence, fix });
export const fail = (evidence: string, fix: string): Finding => ({ status: 'fail', evidence, fix });

import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { TryLaunchReport } from '../documents/try-launch.ts';
import { fail, whyUnreadable } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { VERSION } from '../version.ts';

interface ReportContext {
  readonly request: { readonly reportFile?: string; readonly instanceType?: string };
  readonly io: Invocation['io'];
  readonly region: string;
}

/**
 * Writes what may be attached to a public issue: phases and durations, codes of failures and ids of checks.
 * Sentences, names, ids of resources and times of day stay out, because they may name a user's objects.
 */
export const toPublicReport = (
  { outcome, instanceType, capacityType, phases, failure, findings, remaining }: TryLaunchReport,
  { region }: Pick<ReportContext, 'region'>,
) => ({
  kind: 'TryLaunchReport',
  mortise: VERSION,
  node: process.version,
  ...{ region, outcome, instanceType, capacityType },
  phases: phases.map(({ name, ms }) => ({ name, ms })),
  ...(failure && { failure: { code: failure.code, phase: failure.phase } }),
  findings: findings.map(({ id, status }) => ({ id, status })),
  remaining: remaining.length,
});

/**
 * @returns the path of the file
 * @throws CliError - `file-unreadable`: it exists, or its folder cannot be written
 */
export async function writeReport(report: TryLaunchReport, { request, io, region }: ReportContext): Promise<string> {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const file = request.reportFile ?? `try-launch-${stamp}.json`;
  try {
    const text = `${JSON.stringify(toPublicReport(report, { region }), undefined, 2)}\n`;
    await writeFile(resolve(io.cwd, file), text, { flag: 'wx' });
    return file;
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    throw fail(
      {
        ...{ code: 'file-unreadable', what: `cannot write ${file}`, where: '--report' },
        why: isThere ? 'it exists' : whyUnreadable(cause),
        fix: 'name another file',
      },
      { cause },
    );
  }
}

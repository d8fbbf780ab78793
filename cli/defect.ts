import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CliError, fail } from './errors.ts';
import { VERSION } from './version.ts';

/** Describes a bug of the command in one line and writes the details to a report file. */
export function defectOf(error: unknown, argv: readonly string[]): CliError {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return fail(
    {
      code: 'defect',
      what: `mortise failed: ${what.split('\n')[0]}; ${writeReport(error, argv)}`,
    },
    { cause: error },
  );
}

/** The report contains the call and the stack trace, and nothing of the environment. */
function writeReport(error: unknown, argv: readonly string[]): string {
  const path = join(tmpdir(), `mortise-defect-${process.pid}.txt`);
  const lines = [
    `mortise ${VERSION}, Node.js ${process.version}, ${process.platform} ${process.arch}`,
    `called: mortise ${argv.join(' ')}`,
    error instanceof Error ? stackOf(error) : String(error),
    '',
  ];
  try {
    writeFileSync(path, lines.join('\n'));
    return `please report it with ${path}`;
  } catch {
    return 'no report file could be written';
  }
}

const stackOf = (error: Error): string =>
  error.cause instanceof Error
    ? `${error.stack}\ncaused by ${stackOf(error.cause)}`
    : `${error.stack}`;

import { convertManifests, type ManifestConversion } from '../../shared/api/convert/convert-manifests.ts';
import type { ConvertOptions } from '../../shared/api/convert/convert-object.ts';
import { manifestsJson, manifestsYaml } from '../../shared/api/convert/converted-text.ts';
import { type ConvertMessage, isError } from '../../shared/api/convert/message.ts';
import { escapeControlCharacters } from '../../shared/api/finding.ts';
import { type Answer, wholeAnswer } from '../answer.ts';
import { EXIT } from '../errors.ts';
import type { Invocation } from '../invocation.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { noObjectIn, readManifestFiles } from './manifest-files.ts';

export interface ConvertRequest extends ConvertOptions {
  readonly paths: readonly string[];
  readonly recursive: boolean;
}

/**
 * Converts manifests to v1: objects to stdout, messages to stderr.
 *
 * @throws CliError - `file-unreadable`, `no-manifests`, `url-unreachable`
 */
export async function convert(
  { paths, recursive, ...options }: ConvertRequest,
  { io, note }: Invocation,
): Promise<Answer> {
  const conversion = convertManifests(await readManifestFiles(paths, { recursive, io }), options);
  const { objects, messages } = conversion;
  if (objects.length === 0 && messages.length === 0) throw noObjectIn(paths);
  for (const message of messages) {
    // Errors are printed even with --quiet.
    if (isError(message)) io.stderr.write(`${escapeControls(toLine(message))}\n`);
    else note(toLine(message));
  }
  return wholeAnswer({
    kind: 'Conversion',
    source: { files: paths },
    result: toResult(conversion),
    names: conversion.objects.map(({ object }) => `${object.kind}`),
    text: () => manifestsYaml(conversion.objects),
    manifests: (format) => (format === 'yaml' ? manifestsYaml(conversion.objects) : manifestsJson(conversion.objects)),
    ...(!conversion.isComplete && { exitCode: EXIT.answerIsNo }),
  });
}

const toLine = (message: ConvertMessage): string => {
  const { code, object, path, text } = message;
  const level = isError(message) ? 'error' : 'warning';
  const subject = [object, path].filter((part) => part !== '').join(' ');
  return escapeControlCharacters(`${level} ${code} ${subject}: ${text}`);
};

const toResult = ({ objects, messages }: ManifestConversion) => ({
  objects: objects.map(({ object }) => object),
  messages,
});

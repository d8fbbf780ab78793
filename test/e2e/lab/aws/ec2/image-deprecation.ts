import type { Answer } from '../../forward.ts';

/** Deprecated images, which the emulator does not have. */
export interface ImageDeprecation {
  /** Answers EnableImageDeprecation. */
  enable(parameters: URLSearchParams): Answer;
  /** Adds the time of deprecation to the images of a DescribeImages response. */
  annotate(answer: Answer): Answer;
}

export function createImageDeprecation(): ImageDeprecation {
  const deprecatedAt = new Map<string, string>();

  return {
    enable(parameters) {
      deprecatedAt.set(parameters.get('ImageId') ?? '', parameters.get('DeprecateAt') ?? '');
      const body =
        '<EnableImageDeprecationResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>lab</requestId><return>true</return></EnableImageDeprecationResponse>';
      return { status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(body) };
    },
    annotate(answer) {
      if (deprecatedAt.size === 0) return answer;
      const text = answer.body
        .toString()
        .replaceAll(/<imageId>(ami-\w+)<\/imageId>/g, (element, id: string) => {
          const at = deprecatedAt.get(id);
          return at === undefined ? element : `${element}<deprecationTime>${at}</deprecationTime>`;
        });
      return { ...answer, body: Buffer.from(text) };
    },
  };
}

import type { Answer } from '../../forward.ts';
import { answerTo } from './ec2-feature.ts';
import { element } from './instances-xml.ts';

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
      return answerTo('EnableImageDeprecation', element('return', 'true'));
    },
    annotate(answer) {
      if (deprecatedAt.size === 0) return answer;
      const text = answer.body.toString().replaceAll(/<imageId>(ami-\w+)<\/imageId>/g, (imageId, id: string) => {
        const at = deprecatedAt.get(id);
        return at === undefined ? imageId : `${imageId}${element('deprecationTime', at)}`;
      });
      return { ...answer, body: Buffer.from(text) };
    },
  };
}

import { refuse } from './aws-request.ts';
import type { Rule } from './rule.ts';

/**
 * S3 hides whether an object exists from callers that may not list its bucket: they get 403, not 404.
 *
 * @param mayList - true if the caller has `s3:ListBucket`; commands of persons have it
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, "Permissions"
 */
export const hiddenKeys = (mayList: (caller: string) => boolean = () => false): Rule => ({
  name: 'hidden keys',
  async answer(request, pass) {
    const answer = await pass(request);
    const isRead = request.action === 'GetObject' || request.action === 'HeadObject';
    const { service, caller } = request;
    if (service !== 's3' || !isRead || answer.status !== 404) return answer;
    if (caller === undefined || mayList(caller)) return answer;
    return refuse(request, 403, 'AccessDenied', 'Access Denied');
  },
});

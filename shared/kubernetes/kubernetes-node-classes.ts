import { StaleObjectError } from '../model/errors.ts';
import type { NodeClassObject, NodeClassObjects } from '../ports/node-classes.ts';
import { refusalOf } from './client/api-responses.ts';
import { ApiMalformedAnswerError } from './client/api-errors.ts';
import { EC2_NODE_CLASSES, objectPath } from './client/api-resources.ts';
import { type ApiRequest, isSuccess, type KubernetesApi } from './client/kubernetes-api.ts';
import { listObjects } from './client/list-objects.ts';
import { statusOf } from './node-class-status.ts';
import { readNodeClassObject } from './read-node-class-object.ts';

/** The EC2NodeClasses of a cluster. What we write names the version that it is made for. */
export function kubernetesNodeClasses(api: KubernetesApi): NodeClassObjects {
  /** @returns the object as it is now */
  async function patch(
    { name, resourceVersion }: NodeClassObject,
    body: { readonly metadata?: object; readonly status?: object },
    subresource?: 'status',
  ): Promise<NodeClassObject> {
    const request: ApiRequest = {
      verb: 'patch',
      resource: [EC2_NODE_CLASSES.name, ...(subresource ? [subresource] : [])].join('/'),
      path: objectPath(EC2_NODE_CLASSES, { name }, subresource),
      contentType: 'application/merge-patch+json',
      body: { ...body, metadata: { ...body.metadata, resourceVersion } },
    };
    const answer = await api.ask(request);
    if (answer.status === 404 || answer.status === 409) {
      throw new StaleObjectError(`EC2NodeClass ${name}`);
    }
    if (!isSuccess(answer)) throw refusalOf(request, answer);
    const reading = readNodeClassObject(answer.body);
    if (reading.outcome === 'read') return reading.value;
    throw new ApiMalformedAnswerError(request, { why: reading.object.why });
  }

  return {
    async list() {
      const listing = { resource: EC2_NODE_CLASSES, read: readNodeClassObject };
      const { readings } = await listObjects(api, listing);
      return [...readings.values()].flatMap((reading) =>
        reading.outcome === 'read' ? [reading.value] : [],
      );
    },
    change: (object, change) => patch(object, { metadata: change }),
    async writeStatus(object, status, now) {
      await patch(object, { status: statusOf(object, status, now) }, 'status');
    },
  };
}

import { ec2NodeClassSchema } from '../../shared/api/ec2-node-class.ts';
import { readEC2NodeClass } from '../../shared/api/read-ec2-node-class.ts';
import { readWithSchema } from '../../shared/api/read-with-schema.ts';
import type { FindNodeClass } from '../../shared/aws/ec2-catalogue.ts';
import { EC2_NODE_CLASSES, objectPath } from '../../shared/kubernetes/api-resources.ts';
import type { KubernetesApi } from '../../shared/kubernetes/kubernetes-api.ts';
import { logger } from './telemetry.ts';

/** Reads an EC2NodeClass from the cluster. One that nobody can read is as good as none. */
export const findNodeClassIn =
  (api: Pick<KubernetesApi, 'ask'>): FindNodeClass =>
  async (name) => {
    const path = objectPath(EC2_NODE_CLASSES, { name });
    const { status, body } = await api.ask({ verb: 'get', resource: 'ec2nodeclasses', path });
    if (status !== 200) return undefined;

    const written = readWithSchema(ec2NodeClassSchema, body);
    const read = written.outcome === 'read' ? readEC2NodeClass(name, written.value) : written;
    if (read.outcome === 'read') return read.value;
    logger.warn('EC2NodeClass not readable', { name, findings: read.findings });
    return undefined;
  };

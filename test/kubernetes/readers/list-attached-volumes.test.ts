import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listVolumeAttachments } from '../../../shared/kubernetes/readers/list-attached-volumes.ts';
import { type ApiDouble, startApiDouble } from '../support/api-double.ts';
import { connect } from '../support/connect.ts';
import type { RawObject } from '../support/raw-object.ts';

const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';

const anAttachment = (name: string, nodeName: string, volume?: string): RawObject => ({
  metadata: { name },
  spec: { attacher: 'ebs.csi.aws.com', nodeName, source: { persistentVolumeName: volume } },
});

describe('the volumes that are attached to a Node', () => {
  let double: ApiDouble;
  beforeEach(async () => {
    double = await startApiDouble();
  });
  afterEach(async () => double.close());
  const volumesOf = (node: string) => listVolumeAttachments(connect(double).api, node);

  it('include their claims', async () => {
    double.put(ATTACHMENTS, anAttachment('csi-1', 'node-1', 'pv-1'));
    double.put('/api/v1/persistentvolumes', {
      metadata: { name: 'pv-1' },
      spec: { claimRef: { namespace: 'shop', name: 'data-0' } },
    });

    expect(await volumesOf('node-1')).toEqual([{ name: 'csi-1', claim: 'shop/data-0' }]);
  });

  it('exclude those of another Node', async () => {
    double.put(ATTACHMENTS, anAttachment('csi-1', 'node-2', 'pv-1'));

    expect(await volumesOf('node-1')).toEqual([]);
  });

  it('exclude those without a PersistentVolume', async () => {
    double.put(ATTACHMENTS, anAttachment('inline', 'node-1'));

    expect(await volumesOf('node-1')).toEqual([]);
  });

  it('include those whose PersistentVolume is gone', async () => {
    double.put(ATTACHMENTS, anAttachment('csi-1', 'node-1', 'pv-gone'));

    expect(await volumesOf('node-1')).toEqual([{ name: 'csi-1' }]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAttachmentReader } from '../../../shared/kubernetes/readers/list-attached-volumes.ts';
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
  const volumesOf = (node: string) => createAttachmentReader(connect(double).api)(node);
  const countLists = (): number => double.requests.filter(({ path }) => path === ATTACHMENTS).length;

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

  it('are read by name until they are gone, and all listed again only then', async () => {
    const read = createAttachmentReader(connect(double).api);
    for (const name of ['csi-1', 'csi-2']) double.put(ATTACHMENTS, anAttachment(name, 'node-1', name));
    expect(await read('node-1')).toHaveLength(2);
    double.table.remove(ATTACHMENTS, '/csi-1');

    expect(await read('node-1')).toEqual([{ name: 'csi-2' }]);
    expect(countLists()).toBe(1);

    double.table.remove(ATTACHMENTS, '/csi-2');
    double.put(ATTACHMENTS, anAttachment('late', 'node-1', 'late'));
    expect(await read('node-1')).toEqual([{ name: 'late' }]);
    double.table.remove(ATTACHMENTS, '/late');
    expect(await read('node-1')).toEqual([]);
    expect(countLists()).toBe(3);
  });

  it('of many Nodes are one list', async () => {
    const read = createAttachmentReader(connect(double).api);
    const names = Array.from({ length: 25 }, (_, index) => `node-${index}`);
    for (const name of names) double.put(ATTACHMENTS, anAttachment(`csi-${name}`, name, 'pv'));

    const volumes = await Promise.all(names.map(read));

    expect(volumes.map((list) => list.length)).toEqual(names.map(() => 1));
    expect(countLists()).toBe(1);
  });
});

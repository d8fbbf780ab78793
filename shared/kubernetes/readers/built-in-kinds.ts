import type {
  V1CSINode,
  V1DaemonSet,
  V1Namespace,
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1PriorityClass,
  V1Service,
  V1StorageClass,
  V1VolumeAttachment,
} from '@kubernetes/client-node';
import type * as z from 'zod';

/** The generated types of the built-in kinds that we read. */
interface BuiltInKinds {
  readonly CSINode: V1CSINode;
  readonly DaemonSet: V1DaemonSet;
  readonly Namespace: V1Namespace;
  readonly Node: V1Node;
  readonly PersistentVolume: V1PersistentVolume;
  readonly PersistentVolumeClaim: V1PersistentVolumeClaim;
  readonly Pod: V1Pod;
  readonly PodDisruptionBudget: V1PodDisruptionBudget;
  readonly PriorityClass: V1PriorityClass;
  readonly Service: V1Service;
  readonly StorageClass: V1StorageClass;
  readonly VolumeAttachment: V1VolumeAttachment;
}

/**
 * The name of a field that a schema reads and Kubernetes does not have; `never` if it has all. Lists are compared by
 * their items; maps, such as labels, may have any key.
 */
export type UnknownField<Read, Generated> = unknown extends Read
  ? never
  : Read extends readonly (infer Item)[]
    ? Generated extends readonly (infer GeneratedItem)[]
      ? UnknownField<Item, GeneratedItem>
      : 'no list'
    : Read extends object
      ? {
          [Key in NamedKey<Read>]-?: Key extends keyof Generated
            ? UnknownField<NonNullable<Read[Key]>, NonNullable<Generated[Key]>>
            : Key;
        }[NamedKey<Read>]
      : never;

/** The keys of a type without those of its index signature. */
type NamedKey<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** Does not compile for a schema of a built-in kind with a field that the kind does not have. */
export type SchemaOf<Kind extends string, Schema extends z.ZodType> = Kind extends keyof BuiltInKinds
  ? [UnknownField<z.input<Schema>, BuiltInKinds[Kind]>] extends [never]
    ? Schema
    : { readonly unknownField: UnknownField<z.input<Schema>, BuiltInKinds[Kind]> }
  : Schema;

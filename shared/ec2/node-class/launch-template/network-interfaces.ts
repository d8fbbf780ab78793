import type { WrittenEC2NodeClass } from '../../../api/stored-objects/ec2-node-class.ts';

type Spec = WrittenEC2NodeClass['spec'];

/** A network interface that an instance starts with. */
export interface NetworkInterface {
  readonly networkCard: number;
  readonly device: number;
  readonly type: 'interface' | 'efa' | 'efa-only';
  readonly publicAddress?: boolean;
  readonly ipv4Prefixes?: number;
  readonly ipv6?: { readonly prefixes?: number };
  /** Seconds until EC2 forgets a quiet connection. */
  readonly connectionTracking?: {
    readonly tcpEstablished?: number;
    readonly udpStream?: number;
    readonly udp?: number;
  };
}

/**
 * One interface; those that the class lists; or, for pods that ask for EFA, one on each network card.
 *
 * @param efaCount - interfaces of the instance type that the launch is to have; 0: none was asked for
 */
export function listNetworkInterfaces(
  spec: Spec,
  { efaCount, isIpv6 }: { readonly efaCount: number; readonly isIpv6: boolean },
): readonly NetworkInterface[] {
  const settings = toSharedSettings(spec, isIpv6);
  return listPositions(spec, efaCount).map((position) =>
    // It carries no IP traffic.
    position.type === 'efa-only' ? position : { ...position, ...settings },
  );
}

type InterfacePosition = Pick<NetworkInterface, 'networkCard' | 'device' | 'type'>;

function listPositions(
  { networkInterfaces = [] }: Spec,
  efaCount: number,
): readonly InterfacePosition[] {
  if (networkInterfaces.length > 0) {
    return networkInterfaces.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      networkCard: networkCardIndex,
      device: deviceIndex,
      type: interfaceType,
    }));
  }
  if (efaCount === 0) return [{ networkCard: 0, device: 0, type: 'interface' }];
  return Array.from({ length: efaCount }, (_, card) => ({
    networkCard: card,
    device: card === 0 ? 0 : 1,
    type: 'efa',
  }));
}

function toSharedSettings(
  { associatePublicIPAddress, ipPrefixCount, connectionTracking }: Spec,
  isIpv6: boolean,
): Omit<NetworkInterface, keyof InterfacePosition> {
  const prefixes = ipPrefixCount === undefined ? {} : { prefixes: ipPrefixCount };
  const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = connectionTracking ?? {};
  return {
    ...(associatePublicIPAddress !== undefined && { publicAddress: associatePublicIPAddress }),
    ...(!isIpv6 && ipPrefixCount !== undefined && { ipv4Prefixes: ipPrefixCount }),
    ...(isIpv6 && { ipv6: prefixes }),
    ...(connectionTracking && {
      connectionTracking: {
        ...(tcpEstablishedTimeout !== undefined && { tcpEstablished: tcpEstablishedTimeout }),
        ...(udpStreamTimeout !== undefined && { udpStream: udpStreamTimeout }),
        ...(udpTimeout !== undefined && { udp: udpTimeout }),
      },
    }),
  };
}

/** By the address of the cluster's DNS; without one it is an IPv4 cluster. */
export const isIpv6 = (dnsIp = ''): boolean => dnsIp.includes(':');

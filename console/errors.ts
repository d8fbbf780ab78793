/** The requested port is in use, or no port near the default is free. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
  readonly port: number;

  constructor(port: number, options?: ErrorOptions) {
    super(`port ${port} is in use`, options);
    this.port = port;
  }
}

/** A request names a node or workload that does not exist. */
export class UnknownObjectError extends Error {
  override readonly name = 'UnknownObjectError';
  readonly object: string;

  constructor(object: string, options?: ErrorOptions) {
    super(`there is no ${object}`, options);
    this.object = object;
  }
}

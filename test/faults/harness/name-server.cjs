// Loaded into a worker before its own code (node --require): its DNS queries go to the harness, not to the system's
// name servers, which no setting of the service can change.
const dns = require('node:dns/promises');

const { Resolver } = dns;
dns.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.FAULTS_NAME_SERVER]);
  }
};

import { randomUUID } from 'node:crypto';
import { Child } from '../support/child.mjs';
import { cpuOf } from '../support/cpu.mjs';

/** The floor that the others are measured against. */
export class BareLoop {
  name = 'bare undici loop with HMAC';

  static async start({ endpoints, inFlight, receiverUrl, defer }) {
    const loop = new BareLoop();
    const { child } = await Child.start('webhooks/bare-loop.mjs');
    defer(() => child.stop());
    return Object.assign(loop, { child, endpoints, inFlight, receiverUrl });
  }

  /** @returns what will be sent, and how to send it */
  async prepare(count) {
    const deliveries = Array.from({ length: count }, (_, number) => {
      const [id, quizId, createdBy] = [randomUUID(), randomUUID(), randomUUID()];
      const data = {
        quiz_id: quizId,
        title: `Quiz ${number}`,
        category: null,
        created_by: createdBy,
      };
      const created_at = new Date().toISOString();
      return {
        id,
        url: `${this.receiverUrl}/bare/${number % this.endpoints}`,
        secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
        body: JSON.stringify({ id, event: 'quiz.created', created_at, data }),
      };
    });
    await this.child.ask({ deliveries, inFlight: this.inFlight });
    return {
      sent: new Map(deliveries.map(({ id, secret }) => [id, secret])),
      run: async (arrived) => {
        const before = cpuOf(this.child.pid);
        const took = await this.child.ask('go');
        await arrived;
        return { took, cpu: { node: cpuOf(this.child.pid) - before, postgres: 0, redis: 0 } };
      },
    };
  }
}

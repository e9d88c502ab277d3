const { SERVICE_URL } = process.env;

export default {
  service: {
    input: `${SERVICE_URL}/api/v1/openapi.json`,
    output: { target: 'generated/orval.ts', client: 'fetch', baseUrl: SERVICE_URL },
  },
};

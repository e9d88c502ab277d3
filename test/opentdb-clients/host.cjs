/* Preloaded: requests to https://opentdb.com go to SERVICE_URL/opentdb. It is all that is changed of the clients. */
const http = require('node:http');
const https = require('node:https');

const service = new URL(process.env.SERVICE_URL);

function request(first, ...rest) {
  const url = typeof first === 'string' ? new URL(first) : first instanceof URL ? first : undefined;
  const options = rest.find((it) => typeof it === 'object') ?? (url ? {} : first);
  const respond = rest.find((it) => typeof it === 'function');
  const host = url?.hostname ?? options.hostname ?? options.host;
  if (!/^opentdb\.com(:443)?$/.test(host)) throw new Error(`A request to ${host}`);
  const path = url ? url.pathname + url.search : options.path;
  const { method, headers } = options;
  const { hostname, port } = service;
  return http.request({ method, headers, hostname, port, path: `/opentdb${path}` }, respond);
}

https.request = request;
https.get = (...all) => request(...all).end();

const { fetch } = globalThis;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.hostname !== 'opentdb.com') throw new Error(`A request to ${url.hostname}`);
  return fetch(new URL(`/opentdb${url.pathname}${url.search}`, service), init);
};

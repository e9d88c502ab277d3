-- A one-time link belongs to its account. That of the first administrator is recognised by its signature.
LOCK TABLE accounts, one_time_links IN ACCESS EXCLUSIVE MODE;
ALTER TABLE accounts ADD COLUMN link_hash bytea, ADD COLUMN link_issued_at timestamptz;
UPDATE accounts SET link_hash = token_hash, link_issued_at = one_time_links.created_at
FROM one_time_links WHERE account_id = accounts.id;
CREATE UNIQUE INDEX accounts_link_key ON accounts (link_hash);
DROP TABLE one_time_links;

-- What a session's next page says of an action that failed, wholly or in part, is not shown as a success.
ALTER TABLE sessions ADD COLUMN notice_is_refusal boolean NOT NULL DEFAULT false;

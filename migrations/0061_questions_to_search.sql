INSERT INTO question_search (quiz_id, block) SELECT id, 0 FROM quizzes WHERE question_count > 0
ON CONFLICT (quiz_id, block) DO NOTHING;

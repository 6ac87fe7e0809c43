"""What the pages for a class are about: worksheets, lesson plans and tests, made of the lessons of the course."""

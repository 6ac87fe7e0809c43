// What a click sets in the pose: it is painted, and Python hears of it.
export function setPose(stage, fields) {
  Object.assign(stage.pose, fields);
  stage.commit();
}
